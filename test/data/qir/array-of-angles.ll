@0 = internal constant [4 x i8] c"0_a\00"
@1 = internal constant [6 x i8] c"1_a0r\00"
@2 = internal constant [6 x i8] c"2_a1r\00"
@3 = internal constant [6 x i8] c"3_a2r\00"
@4 = internal constant [6 x i8] c"4_a3r\00"
@array0 = internal constant [4 x double] [double 0.1, double 0.7, double 1.3, double 2.1]
@array1 = internal constant [4 x ptr] [ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr), ptr inttoptr (i64 3 to ptr)]

define i64 @ENTRYPOINT__main() #0 {
block_0:
  %var_2 = alloca i64
  %var_4 = alloca i1
  %var_10 = alloca i64
  %var_12 = alloca i1
  call void @__quantum__rt__initialize(ptr null)
  store i64 0, ptr %var_2
  br label %block_1
block_1:
  %var_20 = load i64, ptr %var_2
  %var_3 = icmp sle i64 %var_20, 3
  store i1 true, ptr %var_4
  br i1 %var_3, label %block_2, label %block_3
block_2:
  %var_23 = load i1, ptr %var_4
  br i1 %var_23, label %block_4, label %block_5
block_3:
  store i1 false, ptr %var_4
  br label %block_2
block_4:
  %var_33 = load i64, ptr %var_2
  %var_34_offset_chk = icmp slt i64 %var_33, 0
  %var_34_offset = select i1 %var_34_offset_chk, i64 1, i64 0
  %var_34 = getelementptr [4 x double], ptr @array0, i64 %var_34_offset, i64 %var_33
  %var_5 = load double, ptr %var_34
  %var_35_offset_chk = icmp slt i64 %var_33, 0
  %var_35_offset = select i1 %var_35_offset_chk, i64 1, i64 0
  %var_35 = getelementptr [4 x ptr], ptr @array1, i64 %var_35_offset, i64 %var_33
  %var_6 = load ptr, ptr %var_35
  call void @Rx(double %var_5, ptr %var_6)
  %var_9 = add i64 %var_33, 1
  store i64 %var_9, ptr %var_2
  br label %block_1
block_5:
  store i64 0, ptr %var_10
  br label %block_6
block_6:
  %var_25 = load i64, ptr %var_10
  %var_11 = icmp sle i64 %var_25, 2
  store i1 true, ptr %var_12
  br i1 %var_11, label %block_7, label %block_8
block_7:
  %var_28 = load i1, ptr %var_12
  br i1 %var_28, label %block_9, label %block_10
block_8:
  store i1 false, ptr %var_12
  br label %block_7
block_9:
  %var_29 = load i64, ptr %var_10
  %var_30_offset_chk = icmp slt i64 %var_29, 0
  %var_30_offset = select i1 %var_30_offset_chk, i64 1, i64 0
  %var_30 = getelementptr [4 x ptr], ptr @array1, i64 %var_30_offset, i64 %var_29
  %var_13 = load ptr, ptr %var_30
  %var_14 = add i64 %var_29, 1
  %var_31_offset_chk = icmp slt i64 %var_14, 0
  %var_31_offset = select i1 %var_31_offset_chk, i64 1, i64 0
  %var_31 = getelementptr [4 x ptr], ptr @array1, i64 %var_31_offset, i64 %var_14
  %var_15 = load ptr, ptr %var_31
  call void @CNOT(ptr %var_13, ptr %var_15)
  %var_18 = add i64 %var_29, 1
  store i64 %var_18, ptr %var_10
  br label %block_6
block_10:
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 0 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 1 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 2 to ptr), ptr inttoptr (i64 2 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 3 to ptr), ptr inttoptr (i64 3 to ptr))
  call void @__quantum__rt__array_record_output(i64 4, ptr @0)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 0 to ptr), ptr @1)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 1 to ptr), ptr @2)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 2 to ptr), ptr @3)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 3 to ptr), ptr @4)
  ret i64 0
}

declare void @__quantum__rt__initialize(ptr)

define internal void @Rx(double %var_7, ptr %var_8) {
block_11:
  call void @__quantum__qis__rx__body(double %var_7, ptr %var_8)
  ret void
}

declare void @__quantum__qis__rx__body(double, ptr)

define internal void @CNOT(ptr %var_16, ptr %var_17) {
block_12:
  call void @__quantum__qis__cx__body(ptr %var_16, ptr %var_17)
  ret void
}

declare void @__quantum__qis__cx__body(ptr, ptr)

declare void @__quantum__qis__mresetz__body(ptr, ptr) #1

declare void @__quantum__rt__array_record_output(i64, ptr)

declare void @__quantum__rt__result_record_output(ptr, ptr)

attributes #0 = { "entry_point" "output_labeling_schema" "qir_profiles"="adaptive_profile" "required_num_qubits"="4" "required_num_results"="4" }
attributes #1 = { "irreversible" }
attributes #2 = { nofree nosync nounwind willreturn memory(argmem: read) }

; module flags

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}

!0 = !{i32 1, !"qir_major_version", i32 2}
!1 = !{i32 7, !"qir_minor_version", i32 1}
!2 = !{i32 1, !"dynamic_qubit_management", i1 false}
!3 = !{i32 1, !"dynamic_result_management", i1 false}
!4 = !{i32 5, !"int_computations", !{!"i64"}}
!5 = !{i32 5, !"float_computations", !{!"double"}}
!6 = !{i32 7, !"backwards_branching", i2 3}
!7 = !{i32 1, !"arrays", i1 true}
!8 = !{i32 1, !"ir_functions", i1 true}
!9 = !{i32 1, !"writable_results", i1 true}
